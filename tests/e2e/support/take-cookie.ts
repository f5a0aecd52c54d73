import type { BrowserContext } from '@playwright/test';

/** Signs a browser in, for one address. @param cookie as its person has it, `name=value` */
export async function takeCookie(context: BrowserContext, cookie: string, url: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url }]);
}
