import { expect, it } from 'vitest';
import { routeOf } from '#server/http/route';

it.each([
  ['/api/sessions', {}, '/api/sessions'],
  ['/api/sessions/ses_1/events', { id: 'ses_1' }, '/api/sessions/[id]/events'],
  // Whatever is asked for, there are as many names as routes.
  ['/api/sessions/%C3%A9%2f%3Cb%3E', { id: 'é/<b>' }, '/api/sessions/[id]'],
  ['/api/sessions/%C3%A9', { id: '%C3%A9' }, '/api/sessions/[id]'],
  ['/api/sessions/%zz', { id: '%zz' }, '/api/sessions/[id]'],
  ['/api/content/posts/posts/publish', { type: 'posts', ref: 'posts' }, '/api/content/[type]/[ref]/publish'],
  ['/api/sessions/s', { id: 's' }, '/api/sessions/[id]'],
  ['/v1/models/throughline/offline', { id: ['throughline', 'offline'] }, '/v1/models/[id]'],
  ['/v1', { path: undefined }, '/v1'],
])('names the route of %s', (path, params, route) => {
  expect(routeOf(`http://localhost${path}`, params)).toBe(route);
});
