import { findProgram, findWordPress, installWithApt, WORDPRESS_PACKAGES } from '#scripts/lib/programs';
import { buildStage, reportResults, runStage, skippedStage, vitestStage } from '#scripts/lib/stage';

/* The tests against heavy real peers. What is missing here is installed; what cannot be is said, and its tests skip. */

/** Finds a peer, or installs its packages first. If that fails, it is reported loudly and is no failure. */
async function findOrInstall<T>(find: () => T | undefined, packages: readonly string[], untested: string) {
  if (find() === undefined) await installWithApt(packages);
  const found = find();
  if (found === undefined) {
    console.log(`SKIPPED: there is no ${packages[0]} here and it could not be installed. ${untested} NOT TESTED.`);
  }
  return found;
}

/** One missing peer keeps no other's tests from running. */
async function testWithPeers(): Promise<void> {
  const redisName = 'redis-server';
  const redis = await findOrInstall(() => findProgram([redisName]), [redisName], 'SEVERAL INSTANCES WERE');
  await findOrInstall(findWordPress, WORDPRESS_PACKAGES, 'WORDPRESS WAS');
  for (const proxy of ['nginx', 'caddy']) await findOrInstall(() => findProgram([proxy]), [proxy], `${proxy} WAS`);
  await findOrInstall(() => findProgram(['age']), ['age'], 'ENCRYPTED BACKUPS WERE');
  const built = await runStage(buildStage);
  const env: Record<string, string> = redis === undefined ? {} : { REDIS_SERVER: redis };
  reportResults([built, built.ok ? await runStage(vitestStage('peers', env)) : skippedStage('peers')]);
}

await testWithPeers();
