import { ensureChromium } from '#scripts/lib/programs';
import { projectPath } from '#scripts/lib/project';
import { run } from '#scripts/lib/build';
import {
  buildStage,
  quietScript,
  reportResults,
  runStage,
  skippedStage,
  type Stage,
  type StageResult,
  vitestStage,
} from '#scripts/lib/stage';

const browserReport = projectPath('.cache/e2e.json');
const browserStage: Stage = {
  name: 'e2e',
  report: browserReport,
  run: async () => {
    const env = { PLAYWRIGHT_CHROMIUM: await ensureChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport };
    return run('playwright', ['test', '--project=e2e', '--reporter=list,json'], { env });
  },
};

/** The checks that only read, two at a time: that is what two cores take. */
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

/** The tests; those that need the built app are not run without it. It is built beside the unit tests. */
async function runTests(): Promise<StageResult[]> {
  const [unit, built] = await Promise.all([runStage(vitestStage('unit')), runStage(buildStage)]);
  const needBuild = [vitestStage('integration'), browserStage];
  const results = [unit, built];
  for (const stage of needBuild) results.push(built.ok ? await runStage(stage) : skippedStage(stage.name));
  return results;
}

reportResults([...(await runChecks()), ...(await runTests())]);
