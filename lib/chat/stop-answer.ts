import { toast } from 'sonner';
import type { ChatSession } from '#lib/chat/chat-session';
import { strings } from '#lib/strings';

/** Stops the answer that is being written, and says so where it takes its time to end. @throws ApiError */
export async function stopAnswer(session: ChatSession): Promise<void> {
  if (!(await session.stop())) toast(strings.transcript.stopsSlowly);
}
