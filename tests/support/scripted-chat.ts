import { type UIMessageChunk, readUIMessageStream } from 'ai';
import type { Here } from '#server/conversation/step/environment-context';
import type { ThroughlineUIMessage } from '#server/conversation/step/ui-messages';
import type { Message } from '#server/core/conversation/messages';
import type { Session } from '#server/core/conversation/sessions';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { Overrides, Services } from '#server/services';
import { type ScriptedModel, type ScriptedStep, scriptedModel } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';

const MODEL_ID = 'test/scripted';

export interface ScriptedChat extends AsyncDisposable {
  readonly services: Services;
  /** A session whose model is the scripted one. */
  readonly session: Session;
  /** What the model was asked so far. */
  readonly requests: ScriptedModel['requests'];
  /** The stream of a started turn, or the place of a queued message. */
  send(text: string, here?: Here): ReturnType<Services['chat']['send']>;
  /**
   * Sends, and waits for the turn to end.
   * @param here as a browser sends it; default: none
   */
  say(text: string, here?: Here): Promise<FoldedTurn>;
  /** Queues, or starts a turn without followers. */
  enqueue(text: string, clientRequestId?: string, here?: Here): ReturnType<Services['chat']['enqueue']>;
  /** The session's stored messages, in order. */
  messages(): Promise<Message[]>;
}

/** A whole server whose model answers with the given steps, in order. */
export async function startScriptedChat(
  steps: readonly ScriptedStep[],
  env: Record<string, string> = {},
  overrides: Omit<Overrides, 'models'> = {},
): Promise<ScriptedChat> {
  const { model, requests } = scriptedModel(...steps);
  // In an unspecified window, the rarer tools would only be offered on demand.
  const services = await startTestServices(
    { CONTEXT_WINDOW: '32000', ...env },
    { ...overrides, models: { [MODEL_ID]: model } },
  );
  const session = await services.sessions.create({ ownerId: 'own_local', modelId: MODEL_ID });
  const request = async (text: string, clientRequestId: string | null = null, here?: Here) => {
    const current = await services.sessions.get(session.id);
    return { session: current, texts: [text], here, modelId: null, scopes: scopesOfRole.admin, clientRequestId };
  };
  const send = async (text: string, here?: Here) => services.chat.send(await request(text, null, here));
  return {
    services,
    session,
    requests,
    send,
    async say(text, here) {
      const outcome = await send(text, here);
      if (outcome.kind !== 'started') throw new Error(`"${text}" was queued instead of answered.`);
      return foldTurn(outcome.stream);
    },
    enqueue: async (text, clientRequestId, here) => services.chat.enqueue(await request(text, clientRequestId, here)),
    messages: async () => (await services.messages.list(session.id, { limit: 1_000 })).items,
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

export interface FoldedTurn {
  /** What the browser shows when the stream has ended. */
  readonly message: ThroughlineUIMessage;
  /** Texts of the stream's error chunks. */
  readonly errors: readonly string[];
  readonly chunks: readonly UIMessageChunk[];
}

/** Follows a turn's stream to its end, as the browser would. */
export async function foldTurn(stream: ReadableStream<UIMessageChunk>): Promise<FoldedTurn> {
  const [watched, folded] = stream.tee();
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of watched) chunks.push(chunk);
  let message: ThroughlineUIMessage | undefined;
  // An error chunk would end the fold; the chat shows it separately.
  const shown = folded.pipeThrough(
    new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, controller) => (chunk.type === 'error' ? undefined : controller.enqueue(chunk)),
    }),
  );
  for await (const state of readUIMessageStream<ThroughlineUIMessage>({ stream: shown })) message = state;
  if (!message) throw new Error('The stream had no message.');
  return { message, chunks, errors: chunks.flatMap((chunk) => (chunk.type === 'error' ? [chunk.errorText] : [])) };
}

/** A message's parts without the ids that text has in its stream, to compare the live stream with a reload. */
export function visibleParts({ parts }: ThroughlineUIMessage): unknown[] {
  return parts.map((part) => {
    const plain = JSON.parse(JSON.stringify(part)) as { type: string; id?: string };
    if (plain.type === 'text' || plain.type === 'reasoning') delete plain.id;
    return plain;
  });
}
