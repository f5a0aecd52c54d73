import type { ImportReport } from '#server/core/imports';
import { decideEntries } from '#server/import/decide-entries';
import { type ImportPlan, menuSize } from '#server/import/plan';
import { takeEntry } from '#server/import/take-entry';
import { takePictures } from '#server/import/take-pictures';
import { takeMenu, takeSettings, wantedSettings } from '#server/import/take-site';
import { checkGoesOn, type ImportWork } from '#server/import/work';

/** How many things a plan has, those that it leaves out already included. Read it before the plan is carried out. */
export function sizeOfPlan({ log, entries, pictures, menu, settings, standing }: ImportPlan): number {
  const items = menu === null ? 0 : menuSize(menu.items);
  return (
    log.told + entries.length + pictures.length + items + Object.keys(settings).length + (standing === null ? 0 : 1)
  );
}

/**
 * Makes the site what the plan says, through the content port alone: pictures first, so that entries can name them,
 * then entries, then what names entries. What the site refuses is written down and left out.
 * @throws CancelledError between two things; what speaks against all of it (the database, a site out of reach)
 */
export async function carryOut(work: ImportWork): Promise<ImportReport> {
  const { plan, content } = work;
  await takePictures(work);
  const { homeSlug } = { ...(await content.settings()), ...wantedSettings(work) };
  const { decided, taken } = await decideEntries(work, homeSlug);
  const pictures = new Map(
    plan.pictures.flatMap((picture) => (picture.number === undefined ? [] : [[picture.number, picture]])),
  );
  const ids = new Map<string, string>();
  for (const entry of decided.values()) {
    checkGoesOn(work);
    await takeEntry(entry, { work, ids, taken, addresses: work.addresses, pictures });
    work.onProgress();
    // Reading content waits for nothing: others get a turn between two entries.
    await new Promise(setImmediate);
  }
  checkGoesOn(work);
  await takeMenu(work, decided);
  await takeSettings(work, decided);
  work.onProgress();
  return plan.log.report();
}
