import { z } from 'zod';
import { sessionStates } from '#server/core/context-report';
import { listSessionsQuery } from '#server/http/schemas/sessions';

export const overviewsQuery = listSessionsQuery.extend({ state: z.enum(sessionStates).optional() });
