import { createHash } from 'node:crypto';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Functions of 1,000 whose mutants are tried. 5 gives about 340 of 53,000 mutants: 40 minutes on two cores. */
const SHARE = Number(process.env.MUTATION_SHARE ?? 5);

/**
 * A fixed sample: functions and methods are drawn by the hash of their names, so that the same ones are drawn after a
 * file was moved, joined with another, or changed elsewhere.
 */
function shouldIgnore(path) {
  const name = nameOf(path);
  if (name === null) return undefined;
  const draw = createHash('sha256').update(name).digest().readUInt32BE(0) % 1_000;
  return draw < SHARE ? undefined : 'not in the sample';
}

/** Name of a function or method, or of a constant at the top of a file; null for what is part of one of these. */
function nameOf(path) {
  if (path.isFunctionDeclaration()) return isTop(path) ? path.node.id.name : null;
  if (path.isClassMethod() || path.isClassPrivateMethod() || path.isClassProperty() || path.isClassPrivateProperty()) {
    const { key } = path.node;
    return key.name ?? key.id?.name ?? String(key.value);
  }
  if (path.isVariableDeclarator()) return isTop(path.parentPath) ? (path.node.id.name ?? 'pattern') : null;
  return null;
}

function isTop(path) {
  return path.parentPath.isProgram() || path.parentPath.isExportNamedDeclaration();
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'sample', { shouldIgnore })];
