import type { ContentBackend } from '#server/site/content-backend';
import { documentChanges } from '#server/site/field-changes';
import type { Entry, EntryDocument, PatchOp, Reference } from '#server/core/site/content';
import type { FieldChange, SiteDocumentKey } from '#server/core/site/changes';
import type { EffectTarget, ToolEffect } from '#server/core/conversation/tool-effect';
import type { CodedMessage, ServerText } from '#server/core/coded-message';
import { uncodedText, textFromRow, distinctTexts, textsOfNotes } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { EffectContext } from '#server/tools/tool';

/** The parts of an effect. */
interface EffectParts {
  readonly summary: ServerText;
  readonly targets: ToolEffect['targets'];
  readonly changes?: ToolEffect['changes'];
  readonly references?: ToolEffect['references'];
  /** Texts from other parts of the server have the code `note`. */
  readonly warnings?: readonly (string | ServerText)[];
}

/** A tool effect; omitted lists are empty. */
export function effect({ summary, targets, changes = [], references = [], warnings = [] }: EffectParts): ToolEffect {
  const notices = warnings.map((each): ServerText => (typeof each === 'string' ? uncodedText(each) : each));
  return {
    summary: summary.text,
    message: { code: summary.code, params: summary.params },
    targets,
    changes,
    references,
    warnings: notices.map(({ text }) => text),
    ...(notices.length > 0 && { notices: notices.map(({ code, params }) => ({ code, params })) }),
  };
}

/** The summary of an effect, as a part of another sentence. */
export function summaryOf({ summary, message }: ToolEffect): ServerText {
  return textOf(summary, message);
}

/** The warnings of an effect, as parts of other sentences. */
export function warningsOf({ warnings, notices = [] }: ToolEffect): ServerText[] {
  return warnings.map((warning, index) => textOf(warning, notices[index]));
}

const textOf = (text: string, message: CodedMessage | undefined) => textFromRow(text, message ?? null);

/** An entry as the target of an effect, with the revision on which the effect is based. */
export function entryTarget({ id, type, draft, revision }: Entry): EffectTarget {
  return { type, id, title: draft.title, revision };
}

/** The menu, the settings or the standing instructions as the target of an effect. */
export async function siteTarget(content: ContentBackend, key: SiteDocumentKey, title: string): Promise<EffectTarget> {
  return { type: key, id: key, title, revision: await revisionOf(content, key) };
}

/** The revision of a target in the journal; 0 if it was never changed. */
export async function revisionOf(content: ContentBackend, targetId: string): Promise<number> {
  const [newest] = await content.changes({ targetId, limit: 1 });
  return newest?.revision ?? 0;
}

/** The changes without the ids of sections that are not in `before`, because every dry run generates other ids. */
export function withoutNewIds(changes: readonly FieldChange[], before: EntryDocument | null): FieldChange[] {
  const known = new Set(before?.sections.map(({ id }) => id));
  return changes.map(({ sectionId, ...change }) =>
    sectionId === undefined || !known.has(sectionId) ? change : { ...change, sectionId },
  );
}

/** Effect of an edit of a draft. @throws the errors that the edit would throw */
export async function draftEffect(
  { content, origin }: EffectContext,
  entry: Entry,
  operations: readonly PatchOp[],
): Promise<ToolEffect> {
  const { entry: after, ...notes } = await content.patch(entry.id, operations, origin, { dryRun: true });
  return effect({
    summary: serverText('change-draft', { title: entry.draft.title }),
    targets: [entryTarget(entry)],
    changes: withoutNewIds(documentChanges(entry.draft, after.draft), entry.draft),
    warnings: distinctTexts([...(await content.cautions(entry)), ...textsOfNotes(notes)]),
  });
}

/**
 * What follows from taking an entry off the site: links to it that would lead nowhere, and warnings.
 * @param notes notes of the write, from a dry run
 */
export async function removalConsequences(
  content: ContentBackend,
  { id, type, published }: Entry,
  notes: readonly ServerText[] = [],
): Promise<{ references: readonly Reference[]; warnings: readonly (string | ServerText)[] }> {
  const references = await content.referencesTo({ type, id });
  const children = references.filter(({ kind }) => kind === 'child').length;
  const isHome = references.some(({ kind }) => kind === 'home');
  return {
    references: references.filter(({ kind }) => kind !== 'home'),
    warnings: [
      ...notes,
      ...(isHome && published !== null && notes.length === 0 ? [serverText('home-page')] : []),
      ...(children > 0 ? [serverText('subpages', { count: children })] : []),
    ],
  };
}
