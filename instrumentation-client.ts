import { config } from 'zod/v4/core';

/*
 * Next.js evaluates this file before any other code of a page. Schemas that are created later, also those of the AI SDK,
 * do not try `new Function`: the content security policy forbids it, and the browser would report that.
 */
config({ jitless: true });
