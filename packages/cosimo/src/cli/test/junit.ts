/**
 * Results of tests as JUnit XML, which continuous integration reads: a suite per scenario, a case
 * per requirement.
 */
import { printXml, type XmlOut, xml } from "../../xml/xml-writer.ts";
import { visibleText } from "../terminal.ts";
import type { TestCase, TestedScenario } from "./test-scenario.ts";

export function junitXml(tested: readonly TestedScenario[]): string {
  const cases = tested.flatMap((one) => one.cases);
  const seconds = tested.reduce((sum, one) => sum + one.seconds, 0);
  return printXml(xml("testsuites", counts("cosimo test", cases, seconds), tested.map(suite)));
}

function suite({ path, cases, seconds }: TestedScenario): XmlOut {
  return xml(
    "testsuite",
    counts(path, cases, seconds),
    cases.map((one, i) => testCase(path, one, i === 0 ? seconds : 0)),
  );
}

function counts(
  name: string,
  cases: readonly TestCase[],
  seconds: number,
): Readonly<Record<string, string>> {
  const count = (state: TestCase["state"]): string =>
    String(cases.filter((one) => one.state === state).length);
  return {
    name: visibleText(name),
    tests: String(cases.length),
    failures: count("failed"),
    errors: count("error"),
    time: seconds.toFixed(3),
    skipped: count("open"),
  };
}

/** The run takes the time; what is asked of its trace takes none worth counting. */
function testCase(path: string, { name, state, detail }: TestCase, seconds: number): XmlOut {
  const message = visibleText(detail);
  const element = { passed: undefined, failed: "failure", error: "error", open: "skipped" }[state];
  const problem = element === undefined ? [] : [xml(element, { message })];
  return xml(
    "testcase",
    { classname: visibleText(path), name: visibleText(name), time: seconds.toFixed(3) },
    problem,
  );
}
