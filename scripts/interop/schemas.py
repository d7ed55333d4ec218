"""What Cosimo writes, held to the XML schemas that FMPy ships: the descriptions of exported FMUs (FMI 2 and 3), their
buildDescription.xml, and the structure of exported packages (SSP 1.0).

Our own readers are no witness here: a misunderstanding of the standard would be in writer and reader alike. Every kind of file
is also damaged in several ways that its schema must notice: a check that refuses nothing proves nothing.

SSP 2.0 is not checked: FMPy ships schemas of SSP 1 only.
"""
import tempfile
import zipfile
from pathlib import Path

import fmpy
from checks import ROOT, check, cosimo, passed
from lxml import etree

SHIPPED = Path(fmpy.__file__).parent
EXAMPLES = ROOT / "examples"
SYSTEMS = [
    "bouncing-counter/scenario.yaml",
    "coupled-masses/scenario.yaml",
    "drive-line/scenario.yaml",
    "every-type/scenario.yaml",
    "nested/scenario.yaml",
    "rigid-link/scenario.yaml",
    "ssp/SystemStructure.ssd",
    "thermostat/scenario.yaml",
]
# Modules, and masters that decide at run time, do not become an FMU.
FMUS = [
    "coupled-masses/scenario.yaml",
    "ssp/SystemStructure.ssd",
    "power-window/window.sa",
    "power-window/power.sa",
    "power-window/rate.sa",
]
# With types that FMI 2 does not have.
FMUS_3 = ["every-type/scenario.yaml"]

# All types of FMI 2, start values of each, units, and texts that XML must escape.
TYPES = """\
name: 'types & "quotes" <of> FMI 2'
description: 'a < b && c > "d"'
units:
  first: { fmu: %(fmus)s/Feedthrough.fmu, set: { String_input: 'a <b> & "c"', Int32_input: -3, Boolean_input: true } }
  second: { fmu: %(fmus)s/Feedthrough.fmu }
connections:
  - first.Float64_continuous_output -> second.Float64_continuous_input
  - first.String_output -> second.String_input
  - first.Int32_output -> second.Int32_input
  - first.Boolean_output -> second.Boolean_input
experiment: { start: 0, stop: 1 s, step: 0.1 s, tolerance: 1e-6 }
"""


class Schema:
    def __init__(self, file):
        self.name = file.stem
        self.schema = etree.XMLSchema(etree.parse(str(file)))
        self.sample = None

    def problems(self, text):
        document = etree.fromstring(text)
        return [] if self.schema.validate(document) else [f"line {e.line}: {e.message}" for e in self.schema.error_log]

    def holds(self, what, text):
        found = self.problems(text)
        check(f"{what} is valid ({self.name})", found == [], "; ".join(found))
        self.sample = text

    def refuses(self, what, damage):
        root = etree.fromstring(self.sample)
        damage(root)
        check(f"{self.name} refuses {what}", self.problems(etree.tostring(root)) != [])


FMI = {version: Schema(SHIPPED / "schema" / f"fmi{version}" / f"fmi{version}ModelDescription.xsd") for version in (2, 3)}
BUILD = Schema(SHIPPED / "schema" / "fmi3" / "fmi3BuildDescription.xsd")
SSD = Schema(SHIPPED / "ssp" / "schema" / "SystemStructureDescription.xsd")


def fmu(folder, source, version):
    out = folder / "out.fmu"
    what = f"{source.parent.name}/{source.name}"
    # The description says the same with and without a binary.
    cosimo("export", source, "-o", out, "--fmi", version, "--sources-only", "--trust")
    with zipfile.ZipFile(out) as archive:
        FMI[version].holds(f"the description of {what} as FMI {version}", archive.read("modelDescription.xml"))
        if version == 3:
            BUILD.holds(f"the build description of {what}", archive.read("sources/buildDescription.xml"))


def package(folder, source):
    out = folder / "out.ssp"
    cosimo("export", source, "-o", out, "--trust")
    with zipfile.ZipFile(out) as archive:
        SSD.holds(f"the structure of {source.parent.name}/{source.name} as SSP 1.0", archive.read("SystemStructure.ssd"))


def first(root, name):
    return next(e for e in root.iter() if etree.QName(e).localname == name)


def drop_attribute(name, element=None):
    def damage(root):
        del (root if element is None else first(root, element)).attrib[name]
    return damage


def set_attribute(element, name, value):
    return lambda root: first(root, element).set(name, value)


def rename(element, name):
    def damage(root):
        found = first(root, element)
        found.tag = found.tag.replace(element, name)
    return damage


def drop(element):
    def damage(root):
        found = first(root, element)
        found.getparent().remove(found)
    return damage


def last_first(root):
    root.insert(0, root[-1])


def controls():
    for version, schema in FMI.items():
        variable = {2: "ScalarVariable", 3: "Float64"}[version]
        schema.refuses("a description without its token", drop_attribute({2: "guid", 3: "instantiationToken"}[version]))
        schema.refuses("an unknown element", rename("CoSimulation", "CoSimulaton"))
        schema.refuses("an unknown causality", set_attribute(variable, "causality", "imput"))
        schema.refuses("a value reference that is not a number", set_attribute(variable, "valueReference", "first"))
        schema.refuses("a variable without a name", drop_attribute("name", variable))
        schema.refuses("a description without its structure", drop("ModelStructure"))
        schema.refuses("elements in another order", last_first)
    BUILD.refuses("a configuration without an identifier", drop_attribute("modelIdentifier", "BuildConfiguration"))
    BUILD.refuses("an unknown element", rename("SourceFileSet", "SourceFiles"))
    SSD.refuses("a structure without a version", drop_attribute("version"))
    SSD.refuses("an unknown element", rename("Connector", "Port"))
    SSD.refuses("an unknown kind of connector", set_attribute("Connector", "kind", "imput"))
    SSD.refuses("a connection without an end", drop_attribute("endConnector", "Connection"))
    SSD.refuses("a component without a source", drop_attribute("source", "Component"))
    SSD.refuses("a structure without a system", drop("System"))


with tempfile.TemporaryDirectory() as name:
    place = Path(name)
    types = place / "types" / "types.yaml"
    types.parent.mkdir()
    types.write_text(TYPES % {"fmus": ROOT / "fixtures" / "build" / "fmi2"})
    exported = [EXAMPLES / example for example in FMUS]
    for version in FMI:
        for source in [types, *exported] if version == 2 else [types, *exported, *(EXAMPLES / example for example in FMUS_3)]:
            fmu(place, source, version)
    for source in [types, *(EXAMPLES / system for system in SYSTEMS)]:
        package(place, source)
controls()
print(f"{passed()} checks: what Cosimo writes is valid XML of FMI 2.0, FMI 3.0 and SSP 1.0")
