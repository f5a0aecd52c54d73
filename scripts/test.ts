import { availableParallelism } from 'node:os';
import {
  browserStage,
  buildStage,
  quietScript,
  reportResults,
  runStage,
  skippedStage,
  type Stage,
  type StageResult,
  vitestStage,
} from '#scripts/lib/tests/stage';

/** Workers of each of the two lanes. With more, tests on two cores would reach their time limits. */
const workers = Math.max(2, Math.floor(availableParallelism() / 2));
const unitStage = vitestStage('unit', { projects: ['unit', 'unit-isolated'], capture: true, workers });
const integrationStage = vitestStage('integration', { capture: true, workers });

/** Runs the read-only checks two at a time, which is what two cores can take. */
async function runChecks(): Promise<StageResult[]> {
  const lanes = [
    ['format:check', 'knip'],
    ['typecheck', 'lint'],
  ];
  const results = lanes.map(async (names) => {
    const lane: StageResult[] = [];
    for (const name of names) lane.push(await runStage(quietScript(name)));
    return lane;
  });
  return (await Promise.all(results)).flat();
}

/**
 * Runs the tests in two lanes: tests wait for servers, and one lane alone leaves the cores idle a third of the time.
 * Tests that need the built app are skipped without it.
 */
async function runTests(): Promise<StageResult[]> {
  const built = runStage(buildStage);
  const whenBuilt = async (stage: Stage) => ((await built).ok ? runStage(stage) : skippedStage(stage.name));
  const unit = runStage(unitStage);
  return Promise.all([built, unit, unit.then(() => whenBuilt(integrationStage)), whenBuilt(browserStage(workers))]);
}

reportResults([...(await runChecks()), ...(await runTests())]);
