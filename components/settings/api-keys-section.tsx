'use client';

import { ApiKeys } from '#components/access/keys/api-keys';
import { Section } from '#components/settings/settings-group';
import { keyStrings } from '#lib/strings/keys';

/** Keys of programs, among the settings. */
export function ApiKeysSection() {
  return (
    <Section name="api-keys" title={keyStrings.title} body={keyStrings.body}>
      <ApiKeys />
    </Section>
  );
}
