import { parseArgs } from 'node:util';
import { openOwnSite } from '#scripts/lib/own-site';
import { auditCommand } from '#scripts/lib/audit-command';
import { exitWithMessage } from '#scripts/lib/process';
import { preparePicture } from '#server/site/media/prepare-picture';
import { cleanPictures } from '#server/site/store/clean-pictures';

/**
 * `npm run clean-pictures [-- --dry-run]`: rewrites pictures that earlier versions stored with comments, places or other
 * embedded data.
 */
try {
  const { 'dry-run': isDryRun } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } }).values;
  const { database } = await openOwnSite(isDryRun ? 'reads' : 'writes');
  try {
    const { checked, cleaned, sizeBefore, sizeAfter, failed } = await cleanPictures(database, preparePicture, {
      isDryRun,
    });
    const verb = isDryRun ? 'would be rewritten' : 'were rewritten';
    console.log(`${cleaned} of ${checked} pictures ${verb}: ${inMb(sizeBefore)} become ${inMb(sizeAfter)}.`);
    for (const { filename, reason } of failed) console.log(`Left as it is: ${filename} (${reason})`);
    if (!isDryRun && cleaned > 0)
      await auditCommand(database, 'clean-pictures', 'pictures-cleaned', {
        details: { checked, cleaned, failed: failed.length },
      });
  } finally {
    await database.close();
  }
} catch (error) {
  exitWithMessage(error);
}

function inMb(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
