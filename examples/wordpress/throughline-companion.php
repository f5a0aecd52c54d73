<?php
/**
 * Plugin Name: Throughline companion
 * Description: Shows Throughline what WordPress's REST API does not: how a draft looks with the theme, who has an entry open in the editor, the SEO titles and descriptions of Yoast SEO and Rank Math, and the languages of Polylang.
 * Version: 1.3
 * Requires at least: 5.9
 * Requires PHP: 7.4
 *
 * Copy this file into wp-content/mu-plugins (or wp-content/plugins, and activate it). It stores nothing of its own. Only
 * users who may edit an entry see how a draft of it looks, are told who has it open, and may write its SEO fields and
 * its language.
 */
if (!defined('ABSPATH')) exit;

// Where the web server itself asks for a password, the header Authorization holds that one. The application password then
// comes in a header of its own, accepted on the same terms as WordPress's: over https, or on a local installation.
if (!empty($_SERVER['HTTP_X_THROUGHLINE_AUTHORIZATION']) && (is_ssl() || wp_get_environment_type() === 'local')) {
    $throughline_pair = explode(':', (string) base64_decode((string) preg_replace('/^Basic /i', '', $_SERVER['HTTP_X_THROUGHLINE_AUTHORIZATION'])), 2);
    if (count($throughline_pair) === 2) [$_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW']] = $throughline_pair;
}

add_action('init', function () {
    $fields = [];
    if (defined('WPSEO_VERSION')) $fields = ['_yoast_wpseo_title', '_yoast_wpseo_metadesc'];
    elseif (class_exists('RankMath')) $fields = ['rank_math_title', 'rank_math_description'];
    foreach (get_post_types(['public' => true, 'show_in_rest' => true]) as $type) {
        foreach ($fields as $field) {
            register_post_meta($type, $field, [
                'type' => 'string',
                'single' => true,
                'show_in_rest' => true,
                'auth_callback' => fn($allowed, $key, $id) => current_user_can('edit_post', (int) $id),
            ]);
        }
    }
}, 20);

// Polylang without its Pro version shows the language of an entry nowhere in the REST API. Pro's field is called the same.
add_action('rest_api_init', function () {
    if (!function_exists('pll_get_post_language') || !function_exists('pll_set_post_language')) return;
    foreach (get_post_types(['public' => true, 'show_in_rest' => true]) as $type) {
        if (!pll_is_translated_post_type($type) || isset($GLOBALS['wp_rest_additional_fields'][$type]['lang'])) continue;
        register_rest_field($type, 'lang', [
            'get_callback' => fn($entry) => pll_get_post_language((int) $entry['id']) ?: null,
            'update_callback' => function ($language, $post) {
                if ($language !== pll_get_post_language($post->ID)) pll_set_post_language($post->ID, $language);
            },
            'schema' => ['type' => 'string', 'enum' => pll_languages_list(), 'context' => ['view', 'edit']],
        ]);
    }
}, 99);

add_action('rest_api_init', function () {
    register_rest_route('throughline/v1', '/entries/(?P<id>\d+)/open', [
        'methods' => 'GET',
        'permission_callback' => fn($request) => current_user_can('edit_post', (int) $request['id']),
        'callback' => function ($request) {
            // The editor renews "time:user" every few seconds for as long as it is open.
            $lock = explode(':', (string) get_post_meta((int) $request['id'], '_edit_lock', true));
            $window = (int) apply_filters('wp_check_post_lock_window', 150);
            $is_held = count($lock) === 2 && (int) $lock[0] > time() - $window;
            $user = $is_held ? get_userdata((int) $lock[1]) : false;
            return ['by' => $user ? $user->display_name : null];
        },
    ]);
    $text = fn($most) => ['type' => 'string', 'required' => true, 'maxLength' => $most];
    register_rest_route('throughline/v1', '/entries/(?P<id>\d+)/look', [
        'methods' => 'POST',
        'permission_callback' => fn($request) => current_user_can('edit_post', (int) $request['id']),
        'args' => [
            'title' => $text(2000),
            'content' => $text(2000000),
            'excerpt' => $text(20000),
            'cover' => ['type' => 'integer', 'required' => true, 'minimum' => 0],
        ],
        'callback' => 'throughline_companion_look',
    ]);
});

/** Renders a draft as visitors will see it, by the theme. Nothing is kept of it. */
function throughline_companion_look(WP_REST_Request $request) {
    $post = get_post((int) $request['id']);
    $no_page = fn() => new WP_Error('throughline_no_page', 'Visitors see no page of this entry.', ['status' => 422]);
    if (!is_post_type_viewable($post->post_type)) return $no_page();
    $shown = clone $post;
    foreach (['title', 'content', 'excerpt'] as $name) {
        // What saving would take out of it is taken out.
        $saved = sanitize_post_field("post_$name", wp_slash($request[$name]), $post->ID, 'db');
        $shown->{"post_$name"} = wp_unslash($saved);
    }
    $shown->post_status = 'publish';
    $shown->post_password = '';
    set_time_limit(20);
    throughline_companion_keep_nothing();
    wp_cache_set($post->ID, (object) get_object_vars($shown), 'posts');
    $cover = (int) $request['cover'];
    add_filter(
        'get_post_metadata',
        fn($value, $id, $key) => (int) $id === $post->ID && $key === '_thumbnail_id' ? [$cover ?: ''] : $value,
        10,
        3
    );
    add_filter(
        'posts_pre_query',
        fn($found, $query) => $query->is_main_query() && $query->is_singular ? [$shown] : $found,
        10,
        2
    );
    $user = get_current_user_id();
    wp_set_current_user(0);
    $html = throughline_companion_page($post->post_type === 'page' ? ['page_id' => $post->ID] : ['p' => $post->ID, 'post_type' => $post->post_type]);
    wp_set_current_user($user);
    if (trim($html) === '') return $no_page();
    if (strlen($html) > 5000000) return new WP_Error('throughline_too_large', 'The page is larger than 5 MB.', ['status' => 422]);
    return new WP_REST_Response(['html' => $html], 200, ['Cache-Control' => 'no-store, private']);
}

/** From here on this request writes nothing, whatever a theme or plugin does while it shows a page. */
function throughline_companion_keep_nothing(): void {
    $reads = '/^(?:\s|\(|\/\*.*?\*\/)*(?:select|show|describe|explain|set)\b/is';
    add_filter('query', fn($query) => preg_match($reads, $query) ? $query : '', PHP_INT_MAX);
    wp_cache_add_non_persistent_groups(['posts', 'post_meta', 'options', 'transient', 'site-transient']);
    add_filter('pre_wp_mail', '__return_false', PHP_INT_MAX);
    add_filter('pre_http_request', fn() => new WP_Error('throughline_offline', 'Nothing is sent while a draft is shown.'), PHP_INT_MAX);
    if (!defined('DONOTCACHEPAGE')) define('DONOTCACHEPAGE', true);
}

/** The whole page that a visitor would be sent. */
function throughline_companion_page(array $vars): string {
    global $posts, $post, $wp_did_header, $wp_query, $wp_the_query, $wp_rewrite, $wpdb, $wp_version, $wp, $id, $comment, $user_ID;
    $wp_the_query = new WP_Query();
    $wp_query = $wp_the_query;
    $wp->query_vars = $vars;
    $wp_query->query($vars);
    $wp->register_globals();
    do_action_ref_array('wp', [&$wp]);
    // Leads visitors elsewhere, counts them, sends headers.
    remove_all_actions('template_redirect');
    add_filter('wp_should_output_buffer_template_for_enhancement', '__return_false', PHP_INT_MAX);
    ob_start();
    $level = ob_get_level();
    require ABSPATH . WPINC . '/template-loader.php';
    while (ob_get_level() > $level) ob_end_flush();
    return ob_get_clean();
}
