#!/usr/bin/env node
/** Modules may not be readable at all (too few open files, a broken installation): a line, and no trace of the loader's. */
async function load() {
  try {
    return await import("../dist/cli/main.js");
  } catch (error) {
    console.error(`cosimo: it cannot be loaded: ${error.message.split("\n", 1)[0]}`);
    return { main: () => 1 };
  }
}

const { main } = await load();
process.exitCode = await main(process.argv.slice(2));
