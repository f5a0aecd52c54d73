import { z } from 'zod';
import { changedSettings } from '#server/site/site-settings';
import type { SiteSettings } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { effect, revisionOf, siteTarget } from '#server/tools/effects';
import { notesResult } from '#server/tools/result-fields';
import { nameInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';
import { textsOfNotes } from '#server/core/message-data';

/** Reads the site's settings. */
export const getSettings = defineTool({
  name: 'get_settings',
  description: 'Site settings.',
  input: z.object({}),
  exemptFromPruning: true,
  async execute(_input, { content, noteSeen }) {
    noteSeen?.('settings', await revisionOf(content, 'settings'));
    return { ...(await content.settings()) };
  },
});

const changesInput = z.strictObject({
  siteName: z.string().max(120).optional(),
  tagline: z.string().max(300).optional(),
  homeSlug: nameInput(120).optional(),
  contactEmail: nameInput(200).optional(),
  footerText: z.string().max(500).optional(),
  accentColor: z.string().optional(),
  language: z.string().optional(),
  icon: z.string().max(2_000).optional(),
  redirects: z.string().max(20_000).optional().describe('a line each: /gone /new'),
});

/** Changes some of the site's settings. */
export const setSettings = defineTool({
  name: 'set_settings',
  description: 'Change site settings; they apply at once.',
  input: changesInput,
  exemptFromPruning: true,
  writes: true,
  policy: 'ask',
  async effect(input, { content, origin }) {
    const settings = await content.settings();
    const wanted = givenSettings(input);
    const notes = await content.updateSettings(wanted, origin, { dryRun: true });
    const changed = changedSettings(settings, { ...settings, ...wanted });
    return effect({
      summary: serverText('change-settings'),
      targets: [await siteTarget(content, 'settings', 'Site settings')],
      changes: changed.map((name) => ({
        field: name,
        kind: 'changed',
        before: settings[name],
        after: wanted[name] ?? null,
      })),
      warnings: textsOfNotes(notes),
    });
  },
  async execute(input, { content, origin, ifRevision }) {
    const changes = givenSettings(input);
    const change = await content.updateSettings(changes, origin, { ifRevision });
    const settings = { ...(await content.settings()) };
    return { changeId: change.id, summary: change.summary, settings, ...notesResult(change) };
  },
});

/** The settings that the input names. @throws InvalidInputError if it names none */
function givenSettings(input: z.infer<typeof changesInput>): Partial<SiteSettings> {
  const changes = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  if (Object.keys(changes).length === 0) throw new InvalidInputError('Name at least one setting to change.');
  return changes;
}
