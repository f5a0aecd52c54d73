import { findProgram, installWithApt } from '#scripts/lib/programs';
import { buildStage, reportResults, runStage, skippedStage, vitestStage } from '#scripts/lib/stage';

/* The tests against heavy real peers. What is missing here is installed; what cannot be is said, and its tests skip. */

const REDIS = 'redis-server';

/** Runs what needs Redis; where there is none, that is said loudly and is no failure. */
async function testWithRedis(): Promise<void> {
  if (findProgram([REDIS]) === undefined) await installWithApt(REDIS);
  const redis = findProgram([REDIS]);
  if (redis === undefined) {
    console.log(`SKIPPED: there is no ${REDIS} here and it could not be installed. SEVERAL INSTANCES WERE NOT TESTED.`);
    return;
  }
  const built = await runStage(buildStage);
  const tested = built.ok ? await runStage(vitestStage('peers', { REDIS_SERVER: redis })) : skippedStage('peers');
  reportResults([built, tested]);
}

await testWithRedis();
