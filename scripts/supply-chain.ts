import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { auditSignatures, materials, requireSigned } from '#scripts/lib/supply-chain';

/** Not in .next: it is about what is shipped with the build. */
const FILE = '.cache/sbom.cdx.json';

try {
  const isStrict = process.argv.includes('--strict');
  const { components, ...rest } = await materials();
  mkdirSync(dirname(projectPath(FILE)), { recursive: true });
  writeFileSync(projectPath(FILE), `${JSON.stringify({ ...rest, components }, null, 2)}\n`);
  console.log(`${FILE} lists ${components.length} packages (CycloneDX).`);
  requireSigned(await auditSignatures(), isStrict);
} catch (error) {
  exitWithMessage(error);
}
