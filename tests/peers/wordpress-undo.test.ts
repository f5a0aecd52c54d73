import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { silenceIn } from '#server/wordpress/blocks/invisible-content';
import { readBlocks } from '#server/wordpress/blocks/read-segments';
import type { ChangeOrigin } from '#server/core/site/changes';
import type { Section } from '#server/core/site/content';
import { ConflictError } from '#server/core/errors';
import { sameJson } from '#server/core/json';
import { emptyWordPress, mirrorOf } from '#tests/peers/support/mirrored-site';
import { differences, dumpDatabase } from '#tests/peers/support/whole-database';
import { hasWordPress, startWordPress, type WordPressServer } from '#tests/peers/support/wordpress-server';
import { isDeep } from '#tests/support/deep';
import { contents, editedFields, editSteps } from '#tests/support/section-edits';

/** `DEEP=1` runs all of them, `DEEP_ROUNDS` another number. */
const SEQUENCES = Number(process.env['DEEP_ROUNDS'] ?? (isDeep ? 300 : 12));
/** Ten times what a sequence takes on two idle cores, and the start of the servers. */
const TIMEOUT_MS = 600_000 + SEQUENCES * 30_000;

describe.skipIf(!hasWordPress)('undo on a real WordPress', () => {
  let wordpress: WordPressServer;
  beforeAll(async () => {
    wordpress = await startWordPress();
    await emptyWordPress(wordpress);
  });
  afterAll(() => wordpress?.[Symbol.asyncDispose]());

  it(
    'of edits of neighbouring sections, in any order, loses nothing between them',
    { timeout: TIMEOUT_MS },
    async () => {
      const sequences = fc.sample(fc.tuple(contents, editSteps), SEQUENCES);
      await using site = await mirrorOf(wordpress, { pull: false, freshForMs: 0 });
      const remoteIds: number[] = [];
      for (const [n, [contentRaw]] of sequences.entries()) {
        const page = { title: `Page ${n}`, slug: `page-${n}`, contentRaw, status: 'publish' } as const;
        remoteIds.push((await site.client.entries.create('page', page)).remoteId);
      }
      const visited = (n: number) => fetch(`${wordpress.url}/page-${n}/`).then((response) => response.text());
      await visited(0);
      await site.pull();
      const before = await dumpDatabase(wordpress);
      const tally = { publications: 0, undone: 0, refused: 0 };

      for (const [n, [raw, steps]] of sequences.entries()) {
        const by: ChangeOrigin = { actor: 'user', sessionId: `ses_${n}` };
        const shown = await visited(n);
        const { id, draft } = await site.content.get(`page-${n}`);
        const original = readBlocks(raw, plainContext);
        const edits: string[] = [];
        const current = async () => (await site.content.get(id)).draft.sections;

        const publish = async () => {
          await site.content.publish(id, by);
          tally.publications += 1;
          const stored = (await site.client.entries.get('page', remoteIds[n]!)).contentRaw;
          expect(silenceIn(stored), `page ${n}`).toBe(silenceIn(raw));
          const sections = await current();
          let at = 0;
          for (const [place, section] of sections.entries()) {
            if (!sameJson(section.fields, draft.sections[place]!.fields)) continue;
            at = stored.indexOf(original[place]!.raw, at);
            expect(at, `page ${n}: section ${place} has other bytes in\n${stored}`).toBeGreaterThanOrEqual(0);
          }
        };
        const set = async (sectionId: string, fields: Section['fields']) => {
          const { change } = await site.content.patch(id, [{ op: 'set-section', sectionId, fields }], by);
          if (change !== null) edits.push(change.id);
        };

        for (const [k, step] of steps.entries()) {
          if (step.kind === 'publish') await publish();
          else if (step.kind === 'undo') {
            const changeId = edits[step.edit % Math.max(edits.length, 1)];
            if (changeId === undefined) continue;
            const isUndone = await site.content.undo(changeId, by).then(
              () => true,
              (error: unknown) => {
                if (error instanceof ConflictError) return false;
                throw error;
              },
            );
            if (isUndone) edits.splice(edits.indexOf(changeId), 1);
            tally[isUndone ? 'undone' : 'refused'] += 1;
          } else {
            const sections = await current();
            const place = step.section % sections.length;
            const fields =
              step.kind === 'retype' ? draft.sections[place]!.fields : editedFields(sections[place]!, step.how, k);
            if (fields !== null && !sameJson(fields, sections[place]!.fields)) await set(sections[place]!.id, fields);
          }
        }
        await publish();
        const { conflicts } = await site.content.undoAll({ sessionId: by.sessionId! }, by);
        expect(conflicts, `page ${n}`).toEqual([]);
        expect(await visited(n)).toBe(shown);
        if (isDeep && (n + 1) % 10 === 0) process.stderr.write(`${n + 1} of ${SEQUENCES} sequences passed\n`);
      }
      expect(differences(before, await dumpDatabase(wordpress))).toEqual([]);
      expect(tally.publications).toBeGreaterThan(SEQUENCES);
      expect(tally.undone).toBeGreaterThan(0);
    },
  );
});
