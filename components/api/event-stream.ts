/** One message of Server-Sent Events; a field that the message does not have is undefined. */
export interface EventFrame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/**
 * Reads Server-Sent Events. Comments are returned as empty frames, because they show that the stream is alive; so are
 * messages with only an id, which the browser's EventSource does not report.
 * @throws errors from reading the body
 */
export async function* readEventFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<EventFrame, void, undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield frameOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function frameOf(block: string): EventFrame {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const former = fields.get(name);
    fields.set(name, name === 'data' && former !== undefined ? `${former}\n${value}` : value);
  }
  return Object.fromEntries(fields);
}
