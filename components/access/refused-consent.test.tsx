import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { RefusedConsent } from '#components/access/refused-consent';

const target = { kind: 'host', name: 'assistant.example' } as const;
const drawn = (back: string | null) =>
  renderToStaticMarkup(<RefusedConsent reason="No." back={back} target={target} />);

it('has a link only where something may be sent to the program', () => {
  expect(drawn(null)).not.toContain('<a ');
  expect(drawn('https://assistant.example/callback')).toContain('href="https://assistant.example/callback"');
});
