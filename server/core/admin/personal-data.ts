import { z } from 'zod';
import { anyTime, components, count, idOf, type Shape } from '#server/core/shapes';
import { assetSchema } from '#server/core/site/content';
import { personSchema } from '#server/core/admin/people';

/** Data that the server stores about a person. The lists are complete, without limits. */
export const personalDataSchema = z
  .strictObject({
    email: z.string().describe('The requested e-mail address, in lower case'),
    account: personSchema.nullable().describe('Null: there is none with this e-mail address'),
    formerAccounts: z.array(z.string()).describe('Ids of accounts with this e-mail address that were deleted'),
    conversations: z
      .array(
        z.strictObject({
          id: idOf('ses'),
          title: z.string().describe('Title of the session'),
          messages: count.describe('Number of messages in its transcript'),
          createdAt: anyTime,
        }),
      )
      .describe('Sessions of the person'),
    attachments: z
      .array(
        z.strictObject({
          id: idOf('blb'),
          sessionId: idOf('ses'),
          filename: z.string().describe('Name of the file'),
          size: count.describe('Bytes'),
        }),
      )
      .describe('Files in these conversations; sizes in bytes'),
    pictures: z
      .array(
        z.strictObject({
          id: assetSchema.shape.id,
          filename: z.string().describe('Name of the file'),
          size: count.describe('Bytes'),
          isUsed: z.boolean().describe('True if the site shows it: it stays'),
        }),
      )
      .describe('Pictures that they added to the media library. Used ones are part of the site and stay'),
    submissions: z
      .array(
        z.strictObject({
          id: idOf('sub'),
          pageTitle: z.string().describe('Title of the page with the form'),
          formTitle: z.string().describe('Title of the form'),
          createdAt: anyTime,
        }),
      )
      .describe('Messages of forms that contain the e-mail address'),
    comments: z
      .array(
        z.strictObject({
          id: idOf('cmt'),
          pageTitle: z.string().describe('Title of the page or post'),
          createdAt: anyTime,
        }),
      )
      .describe('Comments through preview links whose name or text contains the e-mail address'),
    signIns: count.describe('Browsers in which the person is signed in'),
    passkeys: count.describe('Passkeys of the person'),
    apiKeys: count.describe('API keys of the person'),
    callRequests: count.describe('Calls of programs with their keys that waited for a person'),
    approvalMails: count.describe('Records of approvals about which they were emailed'),
    keptRounds: count.describe('Summaries of conversations that their programs keep'),
    storedResponses: count.describe('Answers of `/v1/responses` that their programs may refer to'),
    renamed: z
      .strictObject({
        journal: count.describe('Changes of the site'),
        audit: count.describe('Entries of the audit log'),
        spending: count.describe('Records of model calls'),
        imports: count.describe('Imports of sites'),
        decisions: count.describe("Decisions about other people's calls"),
      })
      .describe('Entries that stay, with "Deleted person" in place of their name, address and id'),
  })
  .register(components, { id: 'PersonalData' });
export type PersonalData = Shape<typeof personalDataSchema>;

/** Result of an erasure of personal data. */
export const erasureSchema = z
  .strictObject({
    isErased: z.boolean().describe('False: it was a dry run, and nothing was changed'),
    data: personalDataSchema.describe('What was found: erased, or renamed where it stays'),
  })
  .register(components, { id: 'Erasure' });
export type Erasure = Shape<typeof erasureSchema>;
