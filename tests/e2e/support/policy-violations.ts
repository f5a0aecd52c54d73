import type { Page } from '@playwright/test';

/**
 * What the page, or a frame in it, tries to do against its Content-Security-Policy, from now on. The browser's own
 * console says it, also for frames in which no script may listen.
 */
export function collectPolicyViolations(page: Page): readonly string[] {
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text()))
      violations.push(`${message.text()} (${message.location().url})`);
  });
  return violations;
}
