import { route } from '#server/http/route';
import { content } from '#server/http/schemas/route-answer';
import { costsQuery } from '#server/http/schemas/costs';
import { costsCsv } from '#server/http/downloads/costs-csv';

export const GET = route(
  {
    summary: 'The same as a table for a spreadsheet',
    answer: { 200: content('text/csv', 'One row for each day, model, person, conversation or purpose; US dollars.') },
    access: 'admin',
    query: costsQuery,
  },
  async ({ query, services }) => {
    const { from, to, by } = query;
    return new Response(costsCsv(await services.costs(query)), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="costs-by-${by}-${from}-${to}.csv"`,
      },
    });
  },
);
