import { z } from 'zod';
import { components } from '#server/core/shapes';
import { atMost } from '#server/core/text/safe-text';
import { MAX_AUTHORIZATION_QUERY } from '#server/core/oauth/authorization-request';

/* Requests of programs that connect with OAuth, and of the page on which a person agrees. */

/** Maximum characters of an id. */
const MAX_ID = 100;

export const wellKnownParams = z.object({ path: z.array(z.string()) });

/** A successful answer in a format of OAuth. */
export const oauthAnswer = z.looseObject({});

export const consentBody = z
  .strictObject({
    query: z
      .string()
      .max(MAX_AUTHORIZATION_QUERY, atMost(MAX_AUTHORIZATION_QUERY))
      .describe('Query of the address `/oauth/authorize`, as the program wrote it'),
    userId: z
      .string()
      .max(MAX_ID, atMost(MAX_ID))
      .describe('Id of the person that the page shows; 409 if another one is signed in'),
    isAllowed: z
      .boolean()
      .describe('False: the program is told that the person did not agree. True needs a sign-in of the last half hour'),
    mayPublish: z.boolean().default(false).describe('True: the program may change what visitors see, too'),
  })
  .register(components, { id: 'ConsentBody' });

export const consentAnswer = z
  .strictObject({ redirectTo: z.string().describe('Address of the program, to be opened in the browser') })
  .register(components, { id: 'ConsentAnswer' });
