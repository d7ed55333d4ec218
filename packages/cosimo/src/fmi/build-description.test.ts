import { describe, expect, it } from "vitest";
import { parseBuildDescription } from "./build-description.ts";

const FULL = `<fmiBuildDescription fmiVersion="3.0">
<BuildConfiguration modelIdentifier="M" platform="x86_64-linux" description="d">
<SourceFileSet name="n" language="C99" compiler="gcc" compilerOptions="-O2">
<SourceFile name="a.c"/><SourceFile name="b/b.c"/>
<PreprocessorDefinition name="P" optional="true" value="1" description="p"><Option value="1" description="one"/><Option/></PreprocessorDefinition>
<PreprocessorDefinition name="Q"/>
<IncludeDirectory name="include"/>
</SourceFileSet>
<SourceFileSet><SourceFile name="c.c"/></SourceFileSet>
<Library name="hdf5" version="&gt;=1.8" external="true" description="l"/>
</BuildConfiguration>
<BuildConfiguration modelIdentifier="N"/>
<Annotations><Annotation type="t"/></Annotations>
</fmiBuildDescription>`;

describe("parseBuildDescription", () => {
  it("[FD35] reads everything", () => {
    const { value, diagnostics } = parseBuildDescription(FULL);
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({
      fmiVersion: "3.0",
      configurations: [
        {
          modelIdentifier: "M",
          platform: "x86_64-linux",
          description: "d",
          fileSets: [
            {
              name: "n",
              language: "C99",
              compiler: "gcc",
              compilerOptions: "-O2",
              files: ["a.c", "b/b.c"],
              definitions: [
                {
                  name: "P",
                  optional: true,
                  value: "1",
                  description: "p",
                  options: [{ value: "1", description: "one" }, {}],
                  line: 5,
                },
                { name: "Q", optional: false, options: [], line: 6 },
              ],
              includeDirectories: ["include"],
              line: 3,
            },
            { files: ["c.c"], definitions: [], includeDirectories: [], line: 9 },
          ],
          libraries: [
            { name: "hdf5", version: ">=1.8", external: true, description: "l", line: 10 },
          ],
          line: 2,
        },
        { modelIdentifier: "N", fileSets: [], libraries: [], line: 12 },
      ],
      annotations: [{ type: "t", xml: '<Annotation type="t"/>', line: 13 }],
    });
  });

  it.each([
    ['<SourceFile name="c.c"/>', "", "missing-element@9"],
    ['external="true"', 'external="perhaps"', "malformed-attribute@10"],
    [/fmiBuildDescription/g, "other", "wrong-root@1"],
  ])("[FD1] finds the line when %s becomes %j", (from, to, expected) => {
    const { diagnostics } = parseBuildDescription(FULL.replace(from, to));
    expect(diagnostics.map((d) => `${d.code}@${d.place.line}`)).toEqual([expected]);
  });
});
