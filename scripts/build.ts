import { build } from '#scripts/lib/build';

process.exitCode = (await build()).code;
