<?php
// What the plugins of a client's site add: blocks of their own, a shortcode, a kind of content, fields.
add_action('init', function () {
    register_post_type('acme_project', [
        'public' => true, 'label' => 'Projects', 'show_in_rest' => true, 'rest_base' => 'projects',
        'supports' => ['title', 'editor', 'custom-fields', 'thumbnail', 'excerpt'],
    ]);
    register_taxonomy('acme_area', ['acme_project', 'post'], [
        'public' => true, 'label' => 'Areas', 'show_in_rest' => true, 'hierarchical' => true,
    ]);
    register_post_meta('page', 'acme_price', ['type' => 'string', 'single' => true, 'show_in_rest' => true]);
    register_post_meta('acme_project', 'acme_client', ['type' => 'string', 'single' => true, 'show_in_rest' => true]);
    register_nav_menus(['primary' => 'Main menu', 'footer' => 'Footer']);
});
add_shortcode('acme_hours', fn($options) => '<p class="hours">Open ' . esc_html($options['days'] ?? '') . '</p>');
add_filter('the_content', fn($content) => $content, 5);
