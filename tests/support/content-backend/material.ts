import type { ContentBackend, EntryQuery, NewEntry } from '#server/site/content-backend';
import type { Entry, PatchOp } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';

export const seed: ChangeOrigin = { actor: 'seed' };
export const other: ChangeOrigin = { actor: 'api' };
export const turn = (turnId: string): ChangeOrigin => ({
  actor: 'assistant',
  sessionId: 'ses_contract',
  turnId,
  toolCallId: `call_${turnId}`,
});
export const editor = turn('trn_1');
export const user: ChangeOrigin = { actor: 'user', sessionId: 'ses_contract' };

export const pricing: NewEntry = {
  type: 'page',
  title: 'Pricing',
  excerpt: 'What it costs.',
  sections: [
    { type: 'hero', fields: { heading: 'Fair prices' } },
    { type: 'text', fields: { body: 'We charge by the glaze.' } },
    { type: 'faq', fields: { items: [{ question: 'How much?', answer: 'A lot.' }] } },
  ],
};

export const sectionId = (entry: Entry, index: number): string => entry.draft.sections[index]!.id;
export const types = ({ draft }: Entry): string[] => draft.sections.map(({ type }) => type);
export const titled = (value: string): PatchOp => ({ op: 'set', field: 'title', value });
export const heading = (id: string, value: string | null): PatchOp => ({
  op: 'set-section',
  sectionId: id,
  fields: { heading: value },
});
/** What an undo has to bring back, to the letter. */
export const storedText = ({ draft, published, publishAt, planned, deletedAt }: Entry): string =>
  JSON.stringify({ draft, published, publishAt, planned, isTrashed: deletedAt !== null });
export const thisSecond = Math.floor(Date.now() / 1000) * 1000;
/** Whole seconds: some sites keep no more. */
export const inDays = (days: number): number => thisSecond + days * 86_400_000;
export const bytesOf = async (content: ContentBackend, assetId: string): Promise<Uint8Array> =>
  new Uint8Array((await content.assets.read(assetId, 'full')).data);
export const titlesOf = async (content: ContentBackend, query: EntryQuery): Promise<string[]> =>
  (await content.query(query)).items.map(({ title }) => title);
