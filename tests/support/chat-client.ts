import { type UIMessageChunk, readUIMessageStream } from 'ai';
import type { Replacement } from '#server/conversation/turn/accept-request';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import type { Session } from '#server/core/conversation/sessions';
import { allows, type Scope, scopesOfRole } from '#server/core/admin/access-rights';
import type { Services } from '#server/services';

/**
 * Sends one message, as a script that allows what needs approval if it may, and waits for its turn to end.
 * @param replaces the newest request, in whose place this one is sent. Default: none
 * @param scopes rights of the sender
 */
export async function say(
  services: Services,
  sessionId: string,
  text: string,
  replaces?: Replacement,
  scopes: readonly Scope[] = scopesOfRole.admin,
): Promise<ThroughlineUIMessage> {
  const session: Session = await services.sessions.get(sessionId);
  const outcome = await services.chat.send({
    session,
    texts: [text],
    modelId: null,
    approvalPolicy: allows(scopes, 'content:write') ? 'allow' : 'ask',
    scopes,
    clientRequestId: null,
    replaces,
  });
  if (outcome.kind !== 'started') throw new Error(`"${text}" was queued instead of answered.`);
  return foldStream(outcome.stream);
}

/** The message that a stream of chunks folds into, as the browser would show it. */
async function foldStream(stream: ReadableStream<UIMessageChunk>): Promise<ThroughlineUIMessage> {
  let last: ThroughlineUIMessage | undefined;
  const failures: unknown[] = [];
  for await (const message of readUIMessageStream<ThroughlineUIMessage>({
    stream,
    onError: (error) => failures.push(error),
  })) {
    last = message;
  }
  if (failures.length > 0) throw new Error(`The turn failed: ${String(failures[0])}`);
  if (!last) throw new Error('The stream had no message.');
  return last;
}

/** All text of a message. */
export function answerText(message: ThroughlineUIMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
