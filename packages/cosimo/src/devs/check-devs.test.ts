/** What is refused before a run, with place, cause and fix. */
import { describe, expect, it } from "vitest";
import { DiagnosticsError } from "../base/diagnostic.ts";
import { checkDevs, influencers } from "./check-devs.ts";
import { atomic, type Component, coupled, port } from "./model.ts";
import { runDevs } from "./run-devs.ts";
import { NEVER, recorder, sender } from "./testing/small-models.ts";

describe("mistakes before the run", () => {
  const two = { a: sender(1, "a"), r: recorder(2) };
  const codes = (model: Component): string[] => checkDevs(model).map(({ code }) => code);

  it.each([
    ["a coupling without an arrow", ["a.out r.in"], "devs-coupling-malformed"],
    ["a coupling with two arrows", ["a.out -> r.in -> r.in"], "devs-coupling-malformed"],
    ["an unknown component", ["b.out -> r.in"], "devs-unknown-component"],
    ["an unknown output", ["a.in -> r.in"], "devs-unknown-port"],
    ["an unknown input", ["a.out -> r.inn"], "devs-unknown-port"],
    ["an unknown own port", ["a.out -> out"], "devs-unknown-port"],
    ["a component that feeds itself", ["r.out -> r.in"], "devs-self-coupling"],
  ])("[DE13] %s", (_, couplings, code) => {
    const model = coupled({ name: "net", components: two, couplings });
    expect(codes(model)).toEqual([code]);
    expect(() => runDevs(model, { stop: 1 })).toThrow(DiagnosticsError);
  });

  it("[DE13] the message has the place, and what was meant", () => {
    const model = coupled({
      name: "net",
      components: { deep: coupled({ components: two, couplings: ["a.out -> r.inn"] }) },
      couplings: [],
    });
    const [found] = checkDevs(model);
    expect(found).toMatchObject({ place: { file: "deep" }, fix: "did you mean 'in'?" });
  });

  it("[DE13] an input that leads straight to an output", () => {
    const ports = { p: port<number>() };
    const model = coupled({
      inputs: ports,
      outputs: ports,
      components: two,
      couplings: ["p -> p"],
    });
    expect(codes(model)).toEqual(["devs-pass-through"]);
  });

  it.each([
    ["that forgets one", ["a"]],
    ["with an unknown name", ["a", "r", "x"]],
    ["that names one twice", ["a", "r", "a"]],
  ])("[DE13] an order for select %s", (_, select) => {
    expect(
      codes(coupled({ semantics: "classic", components: two, couplings: [], select })),
    ).toEqual(["devs-select"]);
  });

  it("[DE13] other semantics inside, names with dots, models in themselves, states that are not data, negative delays", () => {
    const inner = coupled({ semantics: "classic", components: two, couplings: [] });
    expect(codes(coupled({ components: { inner }, couplings: [] }))).toEqual(["devs-semantics"]);
    expect(codes(coupled({ components: { "a.b": two.a }, couplings: [] }))).toEqual([
      "devs-component-name",
    ]);
    const components: Record<string, Component> = {};
    const loop = coupled({ name: "loop", components, couplings: [] });
    components["self"] = loop;
    expect(codes(loop)).toEqual(["devs-nests-itself"]);
    const wrong = atomic({
      initial: () => ({ when: new Date(0) }),
      timeAdvance: () => NEVER,
      minimumDelay: -1,
      initialElapsed: Number.NaN,
    });
    expect(codes(wrong)).toEqual(["devs-initial-not-data", "devs-delay", "devs-delay"]);
    expect(checkDevs(wrong)[0]?.message).toContain("'when' is an instance of Date");
  });

  it("[DE15] semantics that do not exist are refused, with what was meant", () => {
    const semantics = "clasic" as "classic";
    const [found] = checkDevs(coupled({ semantics, components: two, couplings: [] }));
    expect(found).toMatchObject({ code: "devs-unknown-semantics", fix: "did you mean 'classic'?" });
  });

  it("[DE14] the influencers of a component are those that it gets values from", () => {
    const model = coupled({
      inputs: { u: port<string>() },
      outputs: { y: port<string>() },
      components: two,
      couplings: ["a.out -> r.in", "u -> r.in", "r.out -> y"],
    });
    expect(influencers(model)).toEqual(
      new Map([
        ["", new Set(["r"])],
        ["a", new Set()],
        ["r", new Set(["a", ""])],
      ]),
    );
  });
});
