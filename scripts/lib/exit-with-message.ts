/** Ends the process with what a person needs to know: the message alone, without a stack. */
export function exitWithMessage(error: unknown): never {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
