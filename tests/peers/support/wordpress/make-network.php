<?php
// Makes an installed WordPress the main site of a network, as Tools, Network Setup does.
$_SERVER['HTTP_HOST'] = parse_url(getenv('PEER_URL'), PHP_URL_HOST) . ':' . parse_url(getenv('PEER_URL'), PHP_URL_PORT);
require 'wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
wp_set_current_user(1);
foreach ($wpdb->tables('ms_global') as $name => $table) $wpdb->$name = $table;
install_network();
$made = populate_network(1, $_SERVER['HTTP_HOST'], 'editor@site.test', 'Network', '/', false);
if (is_wp_error($made)) throw new Exception($made->get_error_message());
