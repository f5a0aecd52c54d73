<?php
/**
 * Plugin Name: Throughline companion
 * Description: Shows Throughline what WordPress's REST API does not: who has an entry open in the editor, and the SEO titles and descriptions of Yoast SEO and Rank Math.
 * Version: 1.0
 * Requires at least: 5.9
 * Requires PHP: 7.4
 *
 * Copy this file into wp-content/mu-plugins (or wp-content/plugins, and activate it). It stores nothing of its own. Only
 * users who may edit an entry are told who has it open, and may write its SEO fields.
 */
if (!defined('ABSPATH')) exit;

add_action('init', function () {
    $fields = [];
    if (defined('WPSEO_VERSION')) $fields = ['_yoast_wpseo_title', '_yoast_wpseo_metadesc'];
    elseif (class_exists('RankMath')) $fields = ['rank_math_title', 'rank_math_description'];
    foreach (['page', 'post'] as $type) {
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
});
