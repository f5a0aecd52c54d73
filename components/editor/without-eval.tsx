// oxlint-disable-next-line no-restricted-imports -- Part of the code that is fetched with a form.
import { z } from 'zod';

/* Imported before any schema is made: zod would try out `new Function`, which the page's policy forbids and reports. */
z.config({ jitless: true });
