import { findProgram, installWithApt } from '#scripts/lib/tests/programs';
import { findWordPress, WORDPRESS_PACKAGES } from '#scripts/lib/tests/wordpress-programs';
import { buildStage, reportResults, runStage, skippedStage, vitestStage } from '#scripts/lib/tests/stage';

/* The tests against heavy real peers. Missing peers are installed; one that cannot be installed is reported and its
   tests are skipped. */

/** Finds a peer, or installs its packages first. A failed installation is reported loudly and does not fail the run. */
async function findOrInstall<T>(find: () => T | undefined, packages: readonly string[], untested: string) {
  if (find() === undefined) await installWithApt(packages);
  const found = find();
  if (found === undefined) {
    console.log(`SKIPPED: there is no ${packages[0]} here and it could not be installed. ${untested} NOT TESTED.`);
  }
  return found;
}

/** Runs the tests of each peer; one missing peer does not stop the tests of the others. */
async function testWithPeers(): Promise<void> {
  const redisName = 'redis-server';
  const redis = await findOrInstall(() => findProgram([redisName]), [redisName], 'SEVERAL INSTANCES WERE');
  await findOrInstall(findWordPress, WORDPRESS_PACKAGES, 'WORDPRESS WAS');
  for (const proxy of ['nginx', 'caddy']) await findOrInstall(() => findProgram([proxy]), [proxy], `${proxy} WAS`);
  // Any mail server has a `sendmail`. Debian allows one mail server: Postfix would replace another one.
  await findOrInstall(() => findProgram(['postfix', 'sendmail']), ['postfix'], 'MAIL THROUGH POSTFIX WAS');
  await findOrInstall(() => findProgram(['age']), ['age'], 'ENCRYPTED BACKUPS WERE');
  const built = await runStage(buildStage);
  const env: Record<string, string> = redis === undefined ? {} : { REDIS_SERVER: redis };
  reportResults([built, built.ok ? await runStage(vitestStage('peers', { env })) : skippedStage('peers')]);
}

await testWithPeers();
