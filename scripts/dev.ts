import { exitWithMessage, readEnvironment } from '#scripts/lib/process';
import { serve, serveOptionsOf } from '#scripts/lib/serve';

/* `npm run dev`: serves the sources and reloads on changes. */
try {
  const url = await serve({ ...serveOptionsOf(readEnvironment()), dev: true });
  console.log(`Throughline serves its sources: ${url}`);
} catch (error) {
  exitWithMessage(error);
}
