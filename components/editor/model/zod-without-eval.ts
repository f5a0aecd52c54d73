// oxlint-disable-next-line no-restricted-imports -- Part of the code that is fetched with a form.
import { z } from 'zod';

/* Import this before creating any schema: otherwise zod would try `new Function`, which the page's content security
   policy forbids and reports. */
z.config({ jitless: true });
