import fc from 'fast-check';

/**
 * Property tests draw the same cases in every run, so that a run which fails is about the change and not about the
 * draw. `PROPERTY_SEED=random` looks for new counterexamples, a number repeats a reported one.
 */
const wanted = process.env['PROPERTY_SEED'] ?? '20261122';

if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
