import fc from 'fast-check';
import { isDeep } from '#tests/support/deep';

/**
 * Property tests draw the same cases in every run, so that a run which fails is about the change and not about the
 * draw; deep ones draw others each time, and say which. `PROPERTY_SEED=random` looks for new counterexamples, a number
 * repeats a reported one.
 */
const wanted = process.env['PROPERTY_SEED'] ?? (isDeep ? 'random' : '20261122');
const seed = wanted === 'random' ? Date.now() % 2 ** 31 : Number(wanted);

if (wanted === 'random') process.stderr.write(`PROPERTY_SEED=${seed}\n`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
