import { expect, it } from 'vitest';
import { reportsLoading } from '#server/models/wire/loading';

const body = (error: unknown) => JSON.stringify({ error });

it.each([
  ['llama.cpp', 503, body({ message: 'Loading model', type: 'unavailable_error', code: 503 }), true],
  ['Hugging Face', 503, body('Model bigscience/bloom is currently loading'), true],
  ['KServe', 503, body('Model with name studio is not ready.'), true],
  ['plain text', 503, 'Service is initializing', true],
  ['another status', 500, body('Loading model'), false],
  ['a busy Ollama', 503, body('server busy, please try again.  maximum pending requests exceeded'), false],
  ['a busy KoboldCpp', 503, JSON.stringify({ detail: { msg: 'Server is busy; please try again later.' } }), false],
  ['a model that cannot be loaded', 503, body({ message: 'Error loading model: out of memory' }), false],
  ['a model that could not be started', 503, body('The model failed to load while starting up'), false],
  ['the code alone', 503, body({ message: 'No model', type: 'loading' }), false],
  ['nothing', 503, '', false],
])('of %s (%d)', (_, status, text, isLoading) => expect(reportsLoading(status, text)).toBe(isLoading));
