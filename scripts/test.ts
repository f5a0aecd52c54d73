import {
  browserStage,
  buildStage,
  quietScript,
  reportResults,
  runStage,
  skippedStage,
  type StageResult,
  vitestStage,
} from '#scripts/lib/tests/stage';

const unitStage = vitestStage('unit', { projects: ['unit', 'unit-isolated'] });

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
 * Runs the tests; those that need the built app are skipped without it. The build runs in parallel with the unit tests.
 */
async function runTests(): Promise<StageResult[]> {
  const [unit, built] = await Promise.all([runStage(unitStage), runStage(buildStage)]);
  const needBuild = [vitestStage('integration'), browserStage];
  const results = [unit, built];
  for (const stage of needBuild) results.push(built.ok ? await runStage(stage) : skippedStage(stage.name));
  return results;
}

reportResults([...(await runChecks()), ...(await runTests())]);
