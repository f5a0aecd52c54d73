import { z } from 'zod';
import { nothingToPublish } from '#server/content/change-summary';
import type { ContentBackend } from '#server/content/content-backend';
import { documentChanges } from '#server/content/field-changes';
import type { Entry } from '#server/core/content';
import { ConflictError } from '#server/core/errors';
import type { ToolEffect } from '#server/core/tool-effect';
import { effect, entryTarget, goneFromSite } from '#server/tools/effects';
import { entryResult, readPublicationTime, spokenTime } from '#server/tools/results';
import { refInput, resolveEntry } from '#server/tools/schemas';
import { defineTool, type EffectContext } from '#server/tools/tool';

/** Value of `at` that takes a plan back. */
const NEVER = 'never';

/** Makes the draft of an entry the published version, now or at a time to come. */
export const publishContent = defineTool({
  name: 'publish_content',
  description: 'Publish the draft of a page or post.',
  input: z.object({
    ref: refInput,
    at: z
      .string()
      .max(40)
      .meta({ isName: true })
      .optional()
      .describe(`later: ISO time with zone (list_content planned tells now); "${NEVER}" cancels that`),
  }),
  writes: true,
  policy: 'ask',
  async effect({ ref, at }, context) {
    const { content } = context;
    const entry = await resolveEntry(content, ref);
    if (at === NEVER) return cancelEffect(entry, context);
    const time = at === undefined ? null : readPublicationTime(at);
    // Nobody is asked about what visitors see already.
    if (time === null && entry.status === 'published' && entry.publishAt === null)
      throw new ConflictError(nothingToPublish(entry));
    if (time !== null) await content.schedule(entry.id, time, context.origin, { dryRun: true });
    const { draft, published } = entry;
    const path = await content.pathOf(entry, 'draft');
    const issues = await content.validate(entry.id);
    const when = time === null ? '' : ` by itself on ${spokenTime(time)}`;
    return effect({
      summary: entry.marks?.includes('private')
        ? `"${draft.title}" is private now: publishing shows it to everybody${when}, at ${path}.`
        : published
          ? `Puts the changes of "${draft.title}" on the site${when}, at ${path}.`
          : `Puts "${draft.title}" on the site${when}, at ${path}.`,
      targets: [entryTarget(entry)],
      changes: documentChanges(published, draft),
      warnings: [
        ...(await movedWarning(content, entry, path)),
        ...(await content.cautions(entry)),
        ...issues.map(({ message }) => message),
      ],
    });
  },
  async execute({ ref, at }, { content, origin, ifRevision }) {
    const entry = await resolveEntry(content, ref);
    if (at !== undefined) {
      const time = at === NEVER ? null : readPublicationTime(at);
      const planned = await content.schedule(entry.id, time, origin, { ifRevision });
      const willBe = time === null ? {} : { addressThen: await content.pathOf(planned.entry, 'draft') };
      return entryResult(planned, willBe);
    }
    const published = await content.publish(entry.id, origin, { ifRevision });
    return entryResult(published, { address: await content.pathOf(published.entry, 'published') });
  },
});

async function cancelEffect(entry: Entry, { content, origin }: EffectContext): Promise<ToolEffect> {
  await content.schedule(entry.id, null, origin, { dryRun: true });
  return effect({
    summary: `Takes back the planned publication of "${entry.draft.title}".`,
    targets: [entryTarget(entry)],
  });
}

async function movedWarning(content: ContentBackend, entry: Entry, path: string): Promise<string[]> {
  const before = entry.published && (await content.pathOf(entry, 'published'));
  if (before === null || before === path) return [];
  const { redirects } = content.capabilities();
  return [`Its address changes from ${before} to ${path}; the old one ${redirects ? 'leads on' : 'is lost'}.`];
}

/** Takes an entry off the published site. */
export const unpublishContent = defineTool({
  name: 'unpublish_content',
  description: 'Take a page or post off the site; its draft stays.',
  input: z.object({ ref: refInput }),
  writes: true,
  policy: 'ask',
  async effect({ ref }, { content }) {
    const entry = await resolveEntry(content, ref);
    const path = await content.pathOf(entry, 'published');
    return effect({
      summary: `Takes "${entry.draft.title}" off the site: ${path} will not be found any more. Its draft stays.`,
      targets: [entryTarget(entry)],
      ...(await goneFromSite(content, entry)),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.unpublish(entry.id, origin, { ifRevision }));
  },
});
