import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { serve, serveOptionsOf } from '#scripts/lib/serve';

try {
  const url = await serve({ ...serveOptionsOf(readEnvironment()), dev: true });
  console.log(`Throughline serves its sources: ${url}`);
} catch (error) {
  exitWithMessage(error);
}
