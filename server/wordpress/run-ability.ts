import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { Mirror, SiteAccess } from '#server/wordpress/mirror/mirror';
import { type Exclusively, pullAll, pullNewer } from '#server/wordpress/pull';
import type { AbilityOutcome, ConnectedContent } from '#server/site/connected-content';

/** A mirror in which everything that is taken over is attributed to `origin`. @param changes collects these changes */
function attributedTo(mirror: Mirror, origin: ChangeOrigin, changes: ChangeSet[]): Mirror {
  return {
    ...mirror,
    async write(work) {
      let made: ChangeSet[] = [];
      const result = await mirror.write((tx) => {
        // `work` may run more than once.
        made = [];
        return work({
          ...tx,
          async addJournalEntry(entry) {
            const attributed = { ...entry, change: { ...entry.change, origin } };
            made.push(attributed.change);
            await tx.addJournalEntry(attributed);
          },
        });
      });
      changes.push(...made);
      return result;
    },
  };
}

/**
 * Runs functions of a site's plugins. The mirror is updated before and after: the differences are the changes by the
 * function, with their previous values.
 * @param onUnread called if the site could not be read afterwards
 */
export function createAbilityRunner(
  site: SiteAccess,
  exclusively: Exclusively,
  onUnread: () => void,
): NonNullable<ConnectedContent['runAbility']> {
  return async (ability, input, origin, signal): Promise<AbilityOutcome> => {
    const changes: ChangeSet[] = [];
    const attributed = { ...site, mirror: attributedTo(site.mirror, origin, changes) };
    const isReading = ability.method === 'GET';
    if (!isReading) await pullNewer(site, exclusively);
    const takeOver = async () => {
      // Only a full pull finds deletions.
      if (ability.isDestructive) await pullAll(attributed, exclusively);
      else await pullNewer(attributed, exclusively);
    };
    const read = () =>
      takeOver().then(
        () => true,
        () => {
          onUnread();
          return false;
        },
      );
    try {
      const result = await site.client.abilities.run(ability, input, signal);
      const isRead = isReading || (await read());
      return { result, changes, isRead };
    } catch (error) {
      // It may have done a part of its work.
      if (!isReading) await read();
      throw error;
    }
  };
}
