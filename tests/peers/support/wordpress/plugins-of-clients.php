<?php
// Imitates plugins and rules that clients' sites have, each switched on by the option of its name.
function peer_has(string $plugin): bool {
    return (bool) get_option("peer_$plugin");
}

// WordPress 7.1 reads and writes all blocks of a content anew on each update over REST, where PHP makes `{}` a list and
// `1.0` the number 1 (observed on 7.1; serialize_block_attributes in wp-includes/blocks.php).
foreach (['page', 'post'] as $type)
    add_filter("rest_pre_insert_$type", function ($post) {
        if (peer_has('rewriting') && isset($post->post_content)) $post->post_content = serialize_blocks(parse_blocks($post->post_content));
        return $post;
    });

// Yoast SEO: its REST namespace, its constant, and what visitors get (frontend title by `_yoast_wpseo_title`).
if (peer_has('yoast')) define('WPSEO_VERSION', '24');
add_action('rest_api_init', function () {
    $empty = ['methods' => 'GET', 'callback' => fn() => [], 'permission_callback' => '__return_true'];
    if (peer_has('yoast')) register_rest_route('yoast/v1', '/peer', $empty);
    if (peer_has('polylang')) register_rest_route('pll/v1', '/languages', $empty);
});
add_filter('pre_get_document_title', fn($title) => (peer_has('yoast') && is_singular() ? get_post_meta(get_queried_object_id(), '_yoast_wpseo_title', true) : '') ?: $title);

// A product as WooCommerce registers it.
add_action('init', fn() => register_post_type('product', [
    'public' => true, 'label' => 'Products', 'show_in_rest' => true, 'rest_base' => 'product', 'rewrite' => ['slug' => 'product'],
    'supports' => ['title', 'editor', 'excerpt', 'thumbnail', 'custom-fields'],
]));

// Polylang without Pro (include/crud-posts.php, set_default_language): an entry has one language, kept in a taxonomy that
// REST does not show; a new one gets that of the request's `lang`, else its parent's, else the default.
if (peer_has('polylang')) {
    add_action('init', fn() => register_taxonomy('language', ['page', 'post'], ['public' => false, 'show_in_rest' => false]));
    function pll_languages_list(): array {
        return ['en', 'de'];
    }
    function pll_is_translated_post_type(string $type): bool {
        return in_array($type, ['page', 'post'], true);
    }
    function pll_get_post_language(int $id) {
        $terms = wp_get_object_terms($id, 'language', ['fields' => 'slugs']);
        return $terms[0] ?? false;
    }
    function pll_set_post_language(int $id, string $language): void {
        wp_set_object_terms($id, $language, 'language');
    }
    add_action('save_post', function ($id, $post) {
        if (!pll_is_translated_post_type($post->post_type) || pll_get_post_language($id)) return;
        $asked = sanitize_key($_REQUEST['lang'] ?? '');
        $parent = $post->post_parent ? pll_get_post_language($post->post_parent) : false;
        pll_set_post_language($id, in_array($asked, pll_languages_list(), true) ? $asked : ($parent ?: 'en'));
    }, 10, 2);
}
