import type { NewPart, Part } from '#server/core/conversation/parts';
import type { PartWriter } from '#server/conversation/step/stream-writer';

/** Where a message's parts are written, in memory, for tests of timing: what is stored at this very moment. */
export function createPartLog(): PartWriter & { readonly parts: Part[]; readonly texts: string[] } {
  const parts: Part[] = [];
  return {
    parts,
    get texts() {
      return parts.flatMap((part) => ('text' in part.content ? [part.content.text] : []));
    },
    addPart(part: NewPart) {
      const order = parts.length;
      const base = { messageId: 'msg_1', sessionId: 'ses_1', tokens: null, originalTokens: null, compactedAt: null };
      const stored = { ...base, id: `prt_${order}`, order, createdAt: 1, state: 'completed', ...part } as Part;
      parts.push(stored);
      return Promise.resolve(stored);
    },
    updatePart(partId, changes) {
      const index = parts.findIndex((part) => part.id === partId);
      parts[index] = { ...parts[index], ...changes } as Part;
      return Promise.resolve();
    },
  };
}
