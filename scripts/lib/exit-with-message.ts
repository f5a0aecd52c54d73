import { messageOf } from '#lib/ui/message-of';

/** Ends the process with what a person needs to know: the message alone, without a stack. */
export function exitWithMessage(error: unknown): never {
  console.error(`\n${messageOf(error)}`);
  process.exit(1);
}
