import { type ContractSite, contractOf } from '#tests/support/content-backend/contract';
import { describeByHand } from '#tests/support/content-backend/by-hand';
import { describeEntries } from '#tests/support/content-backend/entries';
import { describePlanned } from '#tests/support/content-backend/planned';
import { describeTrash } from '#tests/support/content-backend/trash';
import { describeQueries } from '#tests/support/content-backend/queries';
import { describeSite } from '#tests/support/content-backend/site';
import { describeDraftsOnly } from '#tests/support/content-backend/drafts-only';
import { describeDryRun } from '#tests/support/content-backend/dry-run';
import { describeJournal } from '#tests/support/content-backend/journal';
import { describePast } from '#tests/support/content-backend/past';
import { describeUndo } from '#tests/support/content-backend/undo';

/**
 * What every `ContentBackend` promises, for any store of the site: run it for each of them. What a backend says it
 * cannot do is skipped by name, and its writes must then be refused.
 */
export function describeContentBackend(name: string, createSite: () => Promise<ContractSite>): void {
  const contract = contractOf(name, createSite);
  describeEntries(contract);
  describeByHand(contract);
  describePlanned(contract);
  describeTrash(contract);
  describeQueries(contract);
  describeSite(contract);
  describeDryRun(contract);
  describeDraftsOnly(contract);
  describeJournal(contract);
  describeUndo(contract);
  describePast(contract);
}
