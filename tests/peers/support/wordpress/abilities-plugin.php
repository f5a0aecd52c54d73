<?php
// Imitates the Abilities API of WordPress 6.9 (`wp-abilities/v1`) on an older WordPress. Rules by WordPress's own
// controllers, wp-includes/rest-api/endpoints/class-wp-rest-abilities-v1-list-controller.php and
// class-wp-rest-abilities-v1-run-controller.php (github.com/WordPress/abilities-api): the list takes `page` and
// `per_page` (default 50, at most 100) and no offset; one method per ability, by its annotations, else 405; `input` comes
// from the query for GET and DELETE and from the JSON body for POST; anonymous readers get 401.
function peer_abilities(): array {
    $page = ['type' => 'object', 'properties' => ['id' => ['type' => 'integer'], 'title' => ['type' => 'string']], 'required' => ['id']];
    $abilities = [
        'peer/site-info' => ['readonly' => true, 'schema' => ['type' => 'object', 'properties' => ['fields' => ['type' => 'array', 'items' => ['type' => 'string']]], 'default' => []], 'run' => fn($input) => ['name' => get_bloginfo('name'), 'asked' => $input['fields'] ?? []]],
        'peer/set-title' => ['schema' => $page, 'run' => fn($input) => ['id' => wp_update_post(['ID' => $input['id'], 'post_title' => $input['title']])]],
        'peer/delete-page' => ['destructive' => true, 'idempotent' => true, 'schema' => $page, 'run' => fn($input) => ['deleted' => (bool) wp_delete_post((int) $input['id'], true)]],
        'peer/count' => ['schema' => [], 'run' => function () { update_option('peer_count', 1 + (int) get_option('peer_count')); return (int) get_option('peer_count'); }],
        'peer/fail' => ['schema' => [], 'run' => fn() => new WP_Error('peer_broken', 'The peer is broken.', ['status' => 400])],
    ];
    // More than one page of the list.
    for ($n = 0; $n < 120; $n++) $abilities["peer/more-$n"] = ['readonly' => true, 'schema' => [], 'run' => fn() => $n];
    return $abilities;
}
function peer_ability(string $name, array $ability): array {
    return [
        'name' => $name, 'label' => "Peer $name", 'description' => 'Of the peer.', 'category' => 'peer',
        'input_schema' => $ability['schema'], 'output_schema' => [],
        'meta' => ['show_in_rest' => true, 'annotations' => [
            'readonly' => $ability['readonly'] ?? null, 'destructive' => $ability['destructive'] ?? null, 'idempotent' => $ability['idempotent'] ?? null,
        ]],
    ];
}
function peer_run(WP_REST_Request $request) {
    $ability = peer_abilities()[$request['name']] ?? null;
    if (!$ability) return new WP_Error('rest_ability_not_found', 'Ability not found.', ['status' => 404]);
    $method = !empty($ability['readonly']) ? 'GET' : (!empty($ability['destructive']) && !empty($ability['idempotent']) ? 'DELETE' : 'POST');
    if ($request->get_method() !== $method) return new WP_Error('rest_ability_invalid_method', "It requires $method.", ['status' => 405]);
    $input = ($method === 'POST' ? $request->get_json_params() : $request->get_query_params())['input'] ?? $ability['schema']['default'] ?? null;
    if ($ability['schema'] === [] && $input !== null) return new WP_Error('ability_missing_input_schema', 'It takes no input.', ['status' => 400]);
    if ($ability['schema'] !== []) {
        $valid = rest_validate_value_from_schema($input, $ability['schema'], 'input');
        if (is_wp_error($valid)) return new WP_Error('ability_invalid_input', $valid->get_error_message(), ['status' => 400]);
    }
    if (!current_user_can('edit_posts')) return new WP_Error('rest_ability_cannot_execute', 'Sorry, you are not allowed to execute this ability.', ['status' => rest_authorization_required_code()]);
    $result = $ability['run']($input);
    return is_wp_error($result) ? $result : rest_ensure_response($result);
}
add_action('rest_api_init', function () {
    register_rest_route('wp-abilities/v1', '/abilities/(?P<name>[a-zA-Z0-9\-\/]+?)/run', [
        'methods' => WP_REST_Server::ALLMETHODS, 'callback' => 'peer_run', 'permission_callback' => '__return_true',
    ]);
    register_rest_route('wp-abilities/v1', '/abilities', [
        'methods' => 'GET',
        'permission_callback' => fn() => current_user_can('read'),
        'args' => ['page' => ['type' => 'integer', 'default' => 1], 'per_page' => ['type' => 'integer', 'default' => 50, 'maximum' => 100]],
        'callback' => function (WP_REST_Request $request) {
            $all = peer_abilities();
            $part = array_slice($all, ($request['page'] - 1) * $request['per_page'], $request['per_page']);
            $response = rest_ensure_response(array_map('peer_ability', array_keys($part), $part));
            $response->header('X-WP-Total', (string) count($all));
            $response->header('X-WP-TotalPages', (string) ceil(count($all) / $request['per_page']));
            return $response;
        },
    ]);
});
