import { build, isBuilt } from '#scripts/lib/build';
import { ensureChromium } from '#scripts/lib/chromium';
import { projectPath } from '#scripts/lib/project';
import { run } from '#scripts/lib/run';
import { quietScript, runStage, skippedStage, type Stage, type StageResult, vitestStage } from '#scripts/lib/stage';
import { summaryLine } from '#scripts/lib/test-report';

const buildStage: Stage = {
  name: 'build',
  run: async () => ({ code: isBuilt() ? 0 : await build(), output: '' }),
};

const browserReport = projectPath('.cache/e2e.json');
const browserStage: Stage = {
  name: 'e2e',
  report: browserReport,
  run: async () => {
    const env = { PLAYWRIGHT_CHROMIUM: await ensureChromium(), PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport };
    return run('playwright', ['test', '--reporter=list,json'], { env });
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

/** The tests; those that need the built app are not run without it. */
async function runTests(): Promise<StageResult[]> {
  const unit = await runStage(vitestStage('unit'));
  const built = await runStage(buildStage);
  const needBuild = [vitestStage('integration'), browserStage];
  const results = [unit, built];
  for (const stage of needBuild) results.push(built.ok ? await runStage(stage) : skippedStage(stage.name));
  return results;
}

const results = [...(await runChecks()), ...(await runTests())];
const failed = results.filter((result) => !result.ok);
console.log();
for (const { name, ok, seconds } of results)
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name}  ${seconds.toFixed(1)} s`);
for (const failure of results.flatMap(({ failures }) => failures)) console.log(`FAILED  ${failure}`);
console.log(summaryLine(results.map((result) => result.counts)));
process.exitCode = failed.length === 0 ? 0 : 1;
