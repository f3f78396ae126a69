/** Loaded before anything else of the command: on a Node.js that is too old it ends here. */
try {
  require("../provider/start/node");
} catch (error) {
  process.stderr.write(`${String((error as Error).message)}\n`);
  process.exit(1);
}

export {};
