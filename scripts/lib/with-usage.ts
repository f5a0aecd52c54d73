import { messageOf } from '#lib/ui/message-of';
import { exitWithMessage } from '#scripts/lib/exit-with-message';

/** What `read` makes of the command line. Ends the process where that throws: with the reason, and how it is used. */
export function withUsage<T>(usage: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    exitWithMessage(`${messageOf(error)}\n\n${usage}`);
  }
}
