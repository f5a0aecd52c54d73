import { expect, it } from 'vitest';
import { redirectParts } from '#server/core/oauth/redirect-uris';

it.each([
  [['https://', 'assistant.example:8443', '/a/b?c=https://other.example']],
  [['https://', 'Assistant.example', '?to=1']],
  [['http://', '[::1]:49152', '/back']],
  [['', 'cursor', '://anysphere.cursor-deeplink/back']],
  [['', 'com.example.app', ':/back']],
])('emphasises where an address leads, and shows all of it: %s', (parts) => {
  expect(redirectParts(parts.join(''))).toEqual(parts);
});
